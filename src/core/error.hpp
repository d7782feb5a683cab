// The errors of the library: those that users catch, from the installed header.
#pragma once

#include "vessiot/error.hpp"
