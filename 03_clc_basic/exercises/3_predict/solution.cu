// Exercise 03.3 - Predict, then run. A solution.

#include "exercise.h"

constexpr bool kReady = true;

constexpr long long kStarted = 1184;  // 148 SMs * min(32, 2048 / 256)
constexpr long long kStolen = 1816;   // 3000 - 1184: the others never start
// Each success is a stolen block, and each block that started leaves after one failure. So there
// are exactly as many requests as blocks in the grid.
constexpr long long kRequests = 3000;
constexpr long long kFailures = 1184;
constexpr long long kBytes = 48000;  // 16 for each response: a failure is a response as well
// Which block is ready first differs, a wave may start a few blocks late, and a kernel of higher
// priority would make requests fail. The sum of started and stolen never changes.
constexpr bool kRepeatable = false;
