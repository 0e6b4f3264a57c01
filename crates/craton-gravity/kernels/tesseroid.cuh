// One tesseroid at points, as in `src/tesseroid/pieces.rs`. The same operations in the same order choose the pieces and place their Gauss points, so that both
// differ only by the round-off of fields and sums.
#pragma once

#include "pieces.cuh"

namespace craton {

// Distances in sizes from which two and four Gauss points along each axis are used, as `DISTANCE_OF_TWO` and `DISTANCE_OF_FOUR`.
constexpr double OF_TWO = 8.0, OF_FOUR = 2.5;
// Size in radii of a piece that counts as a prism, shift of a point relative to it, and largest number of cuts along each axis.
constexpr double FLAT = 5e-8;
constexpr double SHIFT[3] = {1.42e-4, 1.06e-4, 2e-4};
constexpr int MOST_CUTS = 30;
// Gauss points of a tesseroid far from a point.
constexpr unsigned NODES = 8;

struct Turn {
    double sin, cos;
};

// Sine and cosine of an angle of a few turns, as in `src/elementary.rs`.
__device__ __forceinline__ Turn sin_cos(double angle) {
    const double sines[] = {-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0, -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
    const double cosines[] = {1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    const double shifted = angle * 0.6366197723675814 + 6755399441055744.0, turns = shifted - 6755399441055744.0;
    const double r = (angle - turns * 1.5707963267341256) - turns * 6.077100506506192e-11, r2 = r * r;
    double s = sines[6], c = cosines[6];
#pragma unroll
    for (int term = 5; term >= 0; --term) {
        s = s * r2 + sines[term];
        c = c * r2 + cosines[term];
    }
    s = r + r * r2 * s;
    c = 1.0 - (0.5 * r2 - r2 * r2 * c);
    const int quadrant = __double2loint(shifted) & 3;
    const double sine = quadrant & 1 ? c : s, cosine = quadrant & 1 ? s : c;
    return {quadrant & 2 ? -sine : sine, quadrant == 1 || quadrant == 2 ? -cosine : cosine};
}

// Bounds of longitude and latitude [rad] and radius [m].
struct Bounds {
    double of[3][2];

    __device__ __forceinline__ double middle(int axis) const { return 0.5 * (of[axis][0] + of[axis][1]); }
    __device__ __forceinline__ double size(int axis) const { return of[axis][1] - of[axis][0]; }
};

struct Tesseroid {
    Bounds bounds;
    // G times the density in the middle and times its increase along the radius.
    double density, gradient;

    __device__ __forceinline__ double at(double radius) const { return density + gradient * (radius - 0.5 * (bounds.of[2][0] + bounds.of[2][1])); }
};

struct Vector {
    double of[3];
};

__device__ __forceinline__ Vector cartesian(double radius, Turn lon, Turn lat) {
    return {{radius * lat.cos * lon.cos, radius * lat.cos * lon.sin, radius * lat.sin}};
}

__device__ __forceinline__ Vector middle_of(const Bounds& bounds) {
    return cartesian(bounds.middle(2), sin_cos(bounds.middle(0)), sin_cos(bounds.middle(1)));
}

// Sizes along the meridian, the parallel and the radius, at the top [m].
__device__ __forceinline__ Vector sizes_of(const Bounds& bounds) {
    const double south = bounds.of[1][0], north = bounds.of[1][1], top = bounds.of[2][1];
    const double least = min(fabs(south), fabs(north)), largest = south <= 0 && north >= 0 ? 0 : least;
    return {{top * sin_cos(largest).cos * bounds.size(0), top * bounds.size(1), bounds.size(2)}};
}

__device__ __forceinline__ double largest(const Vector& v) { return max(max(v.of[0], v.of[1]), v.of[2]); }

// The square of a distance in sizes.
__device__ __forceinline__ double reach2(double sizes, double size) { return (sizes * size) * (sizes * size); }

// Node `number` of the Gauss rule of `along` nodes, two or four, and its weight.
struct Rule {
    double node, weight;
};
__device__ __forceinline__ Rule rule(int along, int number) {
    const bool is_outer = number == 0 || number == 3, is_low = number < along / 2;
    const double node = along == 2 ? 0.5773502691896257 : is_outer ? 0.8611363115940526 : 0.33998104358485626;
    const double weight = along == 2 ? 1.0 : is_outer ? 0.34785484513745385 : 0.6521451548625461;
    return {is_low ? -node : node, weight};
}

// A place along an axis, from a node between -1 and 1.
__device__ __forceinline__ double along(const Bounds& bounds, int axis, double node) { return bounds.middle(axis) + 0.5 * bounds.size(axis) * node; }

// A Gauss point: Cartesian coordinates [m], and G times its mass.
struct alignas(16) Node {
    double place[3], mass;
};

// Calls `visit` with each Gauss point of a piece of a tesseroid, `count` along each axis.
template <class Visit>
__device__ __forceinline__ void gauss(const Tesseroid& tesseroid, const Bounds& bounds, int count, Visit visit) {
    const double scale = 0.125 * bounds.size(0) * bounds.size(1) * bounds.size(2);
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
        const Rule of_lat = rule(count, i);
        const Turn lat = sin_cos(along(bounds, 1, of_lat.node));
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            const Rule of_lon = rule(count, j);
            const Turn lon = sin_cos(along(bounds, 0, of_lon.node));
#pragma unroll 2
            for (int k = 0; k < count; ++k) {
                const Rule of_radius = rule(count, k);
                const double r = along(bounds, 2, of_radius.node);
                const double volume = scale * of_lat.weight * of_lon.weight * of_radius.weight * r * r * lat.cos;
                const Vector place = cartesian(r, lon, lat);
                visit(Node{{place.of[0], place.of[1], place.of[2]}, volume * tesseroid.at(r)});
            }
        }
    }
}

// Adds the fields of a point mass.
__device__ __forceinline__ void add_mass(const Node& node, const Vector& point, Values& sums) {
    const double x = node.place[0] - point.of[0], y = node.place[1] - point.of[1], z = node.place[2] - point.of[2];
    const double over = inverse_root(fma(x, x, fma(y, y, z * z))), over2 = over * over;
    const double m = node.mass * over, m3 = m * over2;
    if (has(0)) sums.of[0] = sums.of[0] + m;
    if (meets_kind(1)) {
        sums.of[1] = fma(x, m3, sums.of[1]);
        sums.of[2] = fma(y, m3, sums.of[2]);
        sums.of[3] = fma(z, m3, sums.of[3]);
    }
    if (meets_kind(2)) {
        const double m5 = 3.0 * (m3 * over2), xm = x * m5, ym = y * m5, zm = z * m5;
        sums.of[4] = sums.of[4] + fma(x, xm, -m3);
        sums.of[5] = fma(x, ym, sums.of[5]);
        sums.of[6] = fma(x, zm, sums.of[6]);
        sums.of[7] = sums.of[7] + fma(y, ym, -m3);
        sums.of[8] = fma(y, zm, sums.of[8]);
        sums.of[9] = sums.of[9] + fma(z, zm, -m3);
    }
}

// A tesseroid far from a point: its Gauss points, its middle, and the square of the distance from which they suffice.
struct Cell {
    Node nodes[NODES];
    double middle[3], far2;

    // Adds the fields at a point, unless it is near: returns false there.
    __device__ __forceinline__ bool add(const Vector& point, Values& sums) const {
        const double x = middle[0] - point.of[0], y = middle[1] - point.of[1], z = middle[2] - point.of[2];
        if (fma(x, x, fma(y, y, z * z)) < far2) return false;
#pragma unroll 4
        for (unsigned node = 0; node < NODES; ++node) add_mass(nodes[node], point, sums);
        return true;
    }
};

__device__ __forceinline__ void prepare(const Tesseroid& tesseroid, Cell& cell) {
    unsigned count = 0;
    gauss(tesseroid, tesseroid.bounds, 2, [&](const Node& node) { cell.nodes[count++] = node; });
    const Vector middle = middle_of(tesseroid.bounds);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) cell.middle[axis] = middle.of[axis];
    cell.far2 = reach2(OF_TWO, largest(sizes_of(tesseroid.bounds)));
}

// The fields of a small piece, as those of a prism.
__device__ __noinline__ Values of_prism(Bounds bounds, double density, Vector point) {
    Values fields{};
    const double radius = bounds.middle(2);
    const Turn lon = sin_cos(bounds.middle(0)), lat = sin_cos(bounds.middle(1));
    const double sizes[3] = {radius * lat.cos * bounds.size(0), radius * bounds.size(1), bounds.size(2)};
    const Vector place = cartesian(radius, lon, lat);
    const double axes[3][3] = {{-lon.sin, lon.cos, 0.0},
                               {-lat.sin * lon.cos, -lat.sin * lon.sin, lat.cos},
                               {lat.cos * lon.cos, lat.cos * lon.sin, lat.sin}};
    Piece piece;
#pragma unroll
    for (int row = 0; row < 3; ++row) {
        double sum = 0;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) sum = sum + axes[row][axis] * (point.of[axis] - place.of[axis]);
        const double local = sum + SHIFT[row] * sizes[row];
        piece.offsets.at[row][0] = -0.5 * sizes[row] - local;
        piece.offsets.at[row][1] = 0.5 * sizes[row] - local;
        piece.size[row] = sizes[row];
    }
    const Values local = in_pieces(piece, 0.0f);
    const double tensor[3][3] = {{local.of[4], local.of[5], local.of[6]}, {local.of[5], local.of[7], local.of[8]}, {local.of[6], local.of[8], local.of[9]}};
    fields.of[0] = density * local.of[0];
#pragma unroll
    for (int row = 0; row < 3; ++row) {
        double half[3], sum = 0;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            sum = sum + axes[axis][row] * local.of[1 + axis];
            half[axis] = axes[0][row] * tensor[0][axis] + axes[1][row] * tensor[1][axis] + axes[2][row] * tensor[2][axis];
        }
        fields.of[1 + row] = density * sum;
#pragma unroll
        for (int column = row; column < 3; ++column) {
            const int field = row == 0 ? 4 + column : row == 1 ? 6 + column : 9;
            fields.of[field] = density * (half[0] * axes[0][column] + half[1] * axes[1][column] + half[2] * axes[2][column]);
        }
    }
    return fields;
}

__device__ __forceinline__ void add(const Values& values, Values& sums) {
#pragma unroll
    for (int field = 0; field < ALL; ++field) {
        if (has(field)) sums.of[field] = sums.of[field] + values.of[field];
    }
}

// The path from a tesseroid to one of its pieces: for each cut, bit masks of the axes that are cut and of those whose upper half is taken. Pieces are visited in
// the order of their positions.
struct Path {
    unsigned char cut[MOST_CUTS], upper[MOST_CUTS];
    int cuts = 0;

    __device__ __forceinline__ void descend(unsigned axes) {
        cut[cuts] = (unsigned char)axes;
        upper[cuts] = 0;
        ++cuts;
    }
    // Advances to the next piece, or back to the whole tesseroid after the last one.
    __device__ __forceinline__ void go_on() {
        while (cuts > 0) {
            const unsigned axes = cut[cuts - 1], next = (upper[cuts - 1] - axes) & axes;
            upper[cuts - 1] = (unsigned char)next;
            if (next != 0) return;
            --cuts;
        }
    }
    __device__ __forceinline__ Bounds piece(Bounds bounds) const {
#pragma unroll 1
        for (int number = 0; number < cuts; ++number) {
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) {
                const double middle = bounds.middle(axis);
                const bool is_cut = cut[number] >> axis & 1, is_upper = upper[number] >> axis & 1;
                bounds.of[axis][0] = is_cut && is_upper ? middle : bounds.of[axis][0];
                bounds.of[axis][1] = is_cut && !is_upper ? middle : bounds.of[axis][1];
            }
        }
        return bounds;
    }
};

// The fields of a tesseroid at a near point.
__device__ __forceinline__ Values near_fields(const Tesseroid& tesseroid, const Vector& point) {
    Values sums{};
    Path path;
    do {
        const Bounds bounds = path.piece(tesseroid.bounds);
        const Vector middle = middle_of(bounds), sizes = sizes_of(bounds);
        const double x = middle.of[0] - point.of[0], y = middle.of[1] - point.of[1], z = middle.of[2] - point.of[2];
        const double distance2 = x * x + y * y + z * z, size = largest(sizes);
        if (reach2(OF_FOUR, size) <= distance2) {
            const int count = reach2(OF_TWO, size) <= distance2 ? 2 : 4;
            gauss(tesseroid, bounds, count, [&](const Node& node) { add_mass(node, point, sums); });
        } else if (size < FLAT * bounds.of[2][1] || path.cuts == MOST_CUTS) {
            add(of_prism(bounds, tesseroid.at(bounds.middle(2)), point), sums);
        } else {
            unsigned axes = 0;
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) axes |= reach2(OF_FOUR, sizes.of[axis]) <= distance2 ? 0u : 1u << axis;
            path.descend(axes);
            continue;
        }
        path.go_on();
    } while (path.cuts > 0);
    return sums;
}

}  // namespace craton
