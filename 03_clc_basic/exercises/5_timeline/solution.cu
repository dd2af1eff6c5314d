// Exercise 03.5 - Reading a timeline. A solution.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kByBlock0 = 5;    // its own, and four short ones
constexpr long long kOfTile9 = 2;     // asked for while tile 7 was done
constexpr long long kLongest = 4;     // won at the very beginning, begun when tile 1 is over
constexpr long long kRefused = 3;     // each block that starts leaves after one
constexpr long long kNeverStart = 8;  // 11, of which three start
