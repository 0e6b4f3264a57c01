//! What every long job needs: progress, cancellation, checkpoints, run records.
