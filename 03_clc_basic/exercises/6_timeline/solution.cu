// Exercise 03.6 - Reading a timeline. A solution.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kByBlock0 = 2;   // its own, which is long, and one that it won at the beginning
constexpr long long kOfTile2 = 0;    // asked for while tile 0 was done
constexpr long long kLongest = 2;    // won at the very beginning, begun when tile 0 is over
constexpr long long kRefused = 2;    // each block that starts leaves after one
constexpr long long kPrologues = 2;  // two blocks start
