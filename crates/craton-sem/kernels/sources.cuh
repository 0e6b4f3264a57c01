// Amplitudes of point sources.

#pragma once

namespace craton {

// A point source in an element: the step of its first value, the number of its values and their place in the list of all. Its amplitude is zero before
// the first value and constant after the last one.
struct Source {
    unsigned element, first, values, place;

    template <class Real>
    __device__ __forceinline__ Real amplitude(const Real* __restrict__ histories, unsigned step) const {
        return step < first ? Real(0) : histories[place + min(step - first, values - 1)];
    }
};

}  // namespace craton
