// Exercise 03.5 - Reading a timeline. 5 answers.
//
// Eleven tiles on three SMs with room for one block each; tiles 1 and 9 are long. Draw the run, and
// read the answers off the picture, or off its text, if you name it eleven.txt:
//   cmake --build build --target exercise_03_5_program
//   build/bin/clcsim --gpu mini:3 --timeline build/eleven.svg build/exercises/03_5
// A box is a tile, the number in it is the block whose work it is; a cross is a request that
// failed.

#include "exercise.h"

constexpr bool kReady = false;  // true: check it

constexpr long long kByBlock0 = 0;  // tiles that block 0 does
constexpr long long kOfTile9 = -1;  // the block that does tile 9
constexpr long long kLongest =
    -1;  // the tile that is stolen early and waits longest until it is begun
constexpr long long kRefused = 0;     // requests that fail
constexpr long long kNeverStart = 0;  // blocks that never start
