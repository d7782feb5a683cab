// LLVM can compress debug sections of the objects it writes. Ours have none, and nothing here reads others: these take
// the place of LLVM's functions, so that neither zlib nor zstd is needed beside the plug-in.
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>

namespace llvm::compression {

namespace {
Error none() {
    return createStringError(inconvertibleErrorCode(), "compressed sections are not supported");
}
} // namespace

const char* getReasonIfUnsupported(Format) {
    return "it is left out";
}
void compress(Params, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&) {}
Error decompress(DebugCompressionType, ArrayRef<uint8_t>, uint8_t*, size_t) {
    return none();
}
Error decompress(Format, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) {
    return none();
}
Error decompress(DebugCompressionType, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) {
    return none();
}

namespace zlib {
bool isAvailable() {
    return false;
}
void compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, int) {}
Error decompress(ArrayRef<uint8_t>, uint8_t*, size_t&) {
    return none();
}
Error decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) {
    return none();
}
} // namespace zlib

namespace zstd {
bool isAvailable() {
    return false;
}
void compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, int, bool) {}
Error decompress(ArrayRef<uint8_t>, uint8_t*, size_t&) {
    return none();
}
Error decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t>&, size_t) {
    return none();
}
} // namespace zstd

} // namespace llvm::compression
