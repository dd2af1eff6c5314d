// Behind the answer, in the checks of exercises about the loop that for_each_canceled_block hides.
#if defined(_CUDA_WORK_STEALING_) || defined(_CUDA__FUNCTIONAL_FOR_EACH_CANCELED_H)
#error \
    "This exercise is about the loop itself: write it without <cuda/work_stealing>, which chapter 06 uses."
#endif
