# Warnings, the linker, sanitizers and the third-party libraries, all from Debian 12.

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror -fno-omit-frame-pointer
                    -fvisibility=hidden -ffp-contract=off)
add_link_options(-fuse-ld=lld)

if(BRIGADA_SANITIZE)
    add_compile_options(-fsanitize=${BRIGADA_SANITIZE} -fno-sanitize-recover=all -g1)
    add_link_options(-fsanitize=${BRIGADA_SANITIZE})
endif()
if(BRIGADA_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g1)
    add_link_options(-fsanitize=address,undefined)
endif()

find_package(PkgConfig REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(date REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(fmt REQUIRED IMPORTED_TARGET fmt)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(spdlog REQUIRED IMPORTED_TARGET spdlog)
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
find_package(Boost 1.81 REQUIRED)

# The heap of the product: a call takes and gives back a hundred small things, and a body of 400 KB goes
# back to the system when it is freed. A sanitizer brings a heap of its own.
if(NOT BRIGADA_SANITIZE AND NOT BRIGADA_FUZZ)
    find_package(mimalloc REQUIRED)
    set(BRIGADA_HEAP mimalloc)
endif()
