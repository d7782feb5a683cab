// Functions of double that are compiled for several vector units and chosen when the program is loaded. Results are the
// same on all of them: nothing is contracted.
#pragma once

// NOTE: the choice among clones is made while the program is loaded, where sanitizers are not ready yet.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define VESSIOT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VESSIOT_CLONES
#endif
