//! Whether this MPI sends from the memory of CUDA devices: the one question that its standard does not know.
#![allow(unsafe_code)] // it is asked through a function that only some MPIs have, so it must be looked up by name

use std::ffi::c_int;

/// Asks the MPI of this process; one that does not understand the question does not reach devices.
#[cfg(unix)]
pub fn are_reached() -> bool {
    let process = libloading::os::unix::Library::this();
    // SAFETY: Open MPI and MPICH declare `int MPIX_Query_cuda_support(void)`, and no other library uses MPI's prefix.
    unsafe {
        process.get::<unsafe extern "C" fn() -> c_int>(b"MPIX_Query_cuda_support\0").is_ok_and(|query| query() == 1)
    }
}

/// Asks the MPI of this process; nothing is known of MPIs elsewhere.
#[cfg(not(unix))]
pub fn are_reached() -> bool {
    false
}
