// All pitfalls. The program includes them three times: as they should be; with BROKEN defined; and
// with CATALOGUE, which leaves of each file its head, the rows of the catalogue.
#include "clusters.cuh"
#include "converting.cuh"
#include "habits.cuh"
#include "library.cuh"
#include "mbarriers.cuh"
#include "ordering.cuh"
#include "padding.cuh"
#include "roles.cuh"
#include "undefined.cuh"
#include "waiting.cuh"
