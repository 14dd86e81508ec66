#ifndef SETTLE_CPQ_SHIM_H
#define SETTLE_CPQ_SHIM_H

#include <libpq-fe.h>

#endif
