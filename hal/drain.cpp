#include "hal/drain.hpp"
