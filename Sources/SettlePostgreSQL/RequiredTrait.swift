#if !PostgreSQL
    #error("SettlePostgreSQL needs the trait PostgreSQL of the package settle.")
#endif
