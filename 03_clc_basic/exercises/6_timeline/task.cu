// Exercise 03.6 - Reading a timeline. 5 answers.
//
// Nine tiles on two SMs with room for one block each; tiles 0 and 8 are long. Set kReady = true,
// draw the run, and read the answers off the picture:
//   build/bin/clcsim --gpu mini:2 --timeline build/nine.svg build/exercises/03_6
// (build it first: cmake --build build --target exercise_03_6). A box is a tile, the number in it
// is the block whose work it is; a cross is a request that failed.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

constexpr long long kByBlock0 = 0;  // tiles that block 0 does
constexpr long long kOfTile2 = -1;  // the block that does tile 2
constexpr long long kLongest =
    -1;  // the tile that is stolen early and waits longest until it is begun
constexpr long long kRefused = 0;    // requests that fail
constexpr long long kPrologues = 0;  // dark boxes
