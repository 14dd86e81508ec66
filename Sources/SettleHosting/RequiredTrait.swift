#if !Hosting
    #error("SettleHosting needs the trait Hosting of the package settle.")
#endif
