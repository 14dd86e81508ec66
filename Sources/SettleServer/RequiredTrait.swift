#if !Server
    #error("SettleServer needs the trait Server of the package settle.")
#endif
