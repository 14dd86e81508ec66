#if !Tool
    #error("SettleCommand needs the trait Tool of the package settle.")
#endif
