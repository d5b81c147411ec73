// Exchanges .npy files with NumPy, if it is installed.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/files/npy_bytes.hpp"
#include "tests/tools/python.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using namespace std::string_literals;

// The same array as counted(), in Python.
constexpr const char* kNumPyArray =
    "import numpy as np\n"
    "def counted(*shape):\n"
    "  i = np.arange(np.prod(shape, dtype=int))\n"
    "  return (i - 0.5j * i).reshape(shape)\n";

/// The values as bytes, so that NaNs can be compared.
std::string bits_of(const std::vector<Complex>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const TemporaryDirectory directory;
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy";
  ASSERT_TRUE(run_python(python, directory, kNumPyArray + R"(
for version in (1, 2, 3):
  for code in ('f4', 'f8', 'c8', 'c16'):
    for order in 'CF':
      a = counted(3, 1, 20, 9)
      a = np.array(a if code[0] == 'c' else a.real, dtype='<' + code, order=order)
      with open(f'{version}{code}{order}.npy', 'wb') as f:
        np.lib.format.write_array(f, a, (version, 0))
)"s));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().extension() != ".npy") continue;
    ++files;
    std::vector<Complex> values = counted(540);
    const NpyArray array = read_npy(entry.path());
    EXPECT_EQ(array.shape, (Extents{3, 1, 20, 9}));
    if (array.dtype[1] == 'f') {
      for (Complex& value : values) value = value.real();
    }
    EXPECT_EQ(array.values, values) << entry.path();
  }
  EXPECT_EQ(files, 24);
}

// For every type, reads its extremes and random numbers that use all its bits, and compares with
// NumPy's own conversion.
TEST(Npy, ReadsEveryTypeThatNumPyWritesInEitherByteOrder) {
  const TemporaryDirectory directory;
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy";
  ASSERT_TRUE(run_python(python, directory, R"(
import numpy as np
random = np.random.default_rng(7)
codes = 'b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()
if np.finfo(np.longdouble).nmant == 63:
  codes += ['f16', 'c32']
def some(dtype, count):
  if dtype.kind in 'iu':
    info = np.iinfo(dtype)
    few = np.array([info.min, info.max, 0, 1], dtype)
    return np.concatenate([few, random.integers(info.min, info.max, count - 4, dtype, True)])
  if dtype.kind == 'b':
    return random.integers(0, 2, count).astype(dtype)
  if dtype.kind == 'c':
    part = np.dtype('f%d' % (dtype.itemsize // 2))
    return (some(part, count) + 1j * some(part, count)[::-1]).astype(dtype)
  info = np.finfo(dtype)
  few = np.array([info.smallest_subnormal, info.max, info.tiny, -0.0, 1 / 3], dtype)
  if dtype.itemsize == 16:
    few = np.array([0.1, 1e300, -2.0**-1000, -0.0, 1 / 3], dtype) / 3
  rest = random.standard_normal(count - len(few)) * 10.0 ** random.integers(-4, 4, count - len(few))
  return np.concatenate([few, rest.astype(dtype)])
for code in codes:
  for order in '<>':
    dtype = np.dtype(code).newbyteorder(order)
    if dtype.byteorder == '>' and code in ('f16', 'c32'):
      continue
    for layout in 'CF':
      a = np.array(some(np.dtype(code), 3 * 4 * 5).reshape(3, 4, 5), dtype=dtype, order=layout)
      name = code + ('little' if order == '<' else 'big') + layout
      np.save(name + '.of.npy', a)
      np.save(name + '.as.npy', a.astype('<c16', order='C'))
)"s));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    const std::string path = entry.path();
    if (!path.ends_with(".of.npy")) continue;
    ++files;
    const NpyArray array = read_npy(path);
    const NpyArray expected = read_npy(path.substr(0, path.size() - 7) + ".as.npy");
    EXPECT_EQ(array.shape, (Extents{3, 4, 5}));
    EXPECT_EQ(array.values, expected.values) << path << ' ' << array.dtype;
  }
  EXPECT_GE(files, 14 * 4);
}

/// NumPy decides which spellings of a dtype a file may have, and what they mean.
TEST(Npy, ReadsEverySpellingOfADtypeThatNumPyReads) {
  const TemporaryDirectory directory;
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy";
  ASSERT_TRUE(run_python(python, directory, R"(
import io, struct, warnings
import numpy as np
warnings.simplefilter('ignore')
codes = ('b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 ? b B h H i I l L q Q p P e f d F D f3 x').split()
names = ('bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 '
         'byte ubyte short ushort intc uintc int uint longlong ulonglong intp uintp half single float double '
         'csingle complex cdouble cfloat singlecomplex bool8 int0 uint0 <float64 float65 integer').split()
if np.finfo(np.longdouble).nmant == 63:
  codes += ['g', 'G', 'f16', 'c32']
  names += 'longdouble clongdouble longfloat clongfloat longcomplex float128 complex256'.split()
spellings = [order + code for order in ('', '<', '>', '=', '|') for code in codes] + names
for number, spelling in enumerate(spellings):
  header = ("{'descr': '%s', 'fortran_order': False, 'shape': (3,), }" % spelling).encode()
  begin = b'\x93NUMPY\1\0' + struct.pack('<H', len(header)) + header
  try:
    size = np.dtype(spelling).itemsize
    file = begin + (bytes(range(1, 3 * size + 1)) if size > 1 else b'\1\0\1')
    values = np.load(io.BytesIO(file))
    if values.dtype.kind not in 'biufc': continue
    if values.dtype.char in 'gG' and values.dtype.byteorder == '>': continue  # refused, as documented
  except Exception:  # of the names, NumPy 2 has dropped some
    if spelling.lstrip('<>=|') not in ('f3', 'x', 'float65', 'integer') and spelling != '<float64': continue
    file, values = begin + bytes(24), None
  open('%03d.%s.npy' % (number, 'no' if values is None else 'of'), 'wb').write(file)
  if values is not None: np.save('%03d.as.npy' % number, values.astype('<c16'))
)"s));
  int read = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    const std::string path = entry.path();
    if (path.ends_with(".no.npy")) {
      ++refused;
      EXPECT_THROW(read_npy(path), BadInput) << path;
    }
    if (!path.ends_with(".of.npy")) continue;
    ++read;
    const NpyArray expected = read_npy(path.substr(0, path.size() - 7) + ".as.npy");
    EXPECT_EQ(bits_of(read_npy(path).values), bits_of(expected.values)) << path;
  }
  EXPECT_GE(read, 150);
  EXPECT_GE(refused, 5);
}

TEST(Npy, WritesWhatNumPyReads) {
  const TemporaryDirectory directory;
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy";
  constexpr std::array<NpyType, 4> kTypes = {NpyType::f4, NpyType::f8, NpyType::c8, NpyType::c16};
  for (std::size_t type = 0; type < kTypes.size(); ++type) {
    for (const bool order : {false, true}) {
      const std::string suffix = std::to_string(type) + (order ? "F.npy" : "C.npy");
      directory.save("a" + suffix, written({3, 20, 9}, counted(540), kTypes[type], order));
      directory.save("b" + suffix, written({}, counted(1), kTypes[type], order));
      directory.save("c" + suffix, written({0}, {}, kTypes[type], order));
    }
  }
  EXPECT_TRUE(run_python(python, directory, kNumPyArray + R"(
for name, shape in (('a', (3, 20, 9)), ('b', ()), ('c', (0,))):
  for type, code in enumerate(('f4', 'f8', 'c8', 'c16')):
    for order in 'CF':
      a = np.load(f'{name}{type}{order}.npy')
      assert a.dtype.str == '<' + code and a.shape == shape, (a.dtype, a.shape)
      assert a.flags[order + '_CONTIGUOUS'], a.flags
      e = counted(*shape)
      assert np.array_equal(a, e if code[0] == 'c' else e.real), (name, code, order)
)"s));
}

}  // namespace
}  // namespace toroid::testing
