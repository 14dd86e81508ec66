#if !Inspector
    #error("SettleInspector needs the trait Inspector of the package settle.")
#endif
