//! Laws at one point, generic over the scalar, and the printer that turns them into CUDA.
