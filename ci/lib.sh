# shellcheck shell=bash
# What ci/kernel and ci/boot share: packages, kernel sources, the patch under test, steps.
# To be sourced from the project's folder, with `set -euo pipefail` on.

# Nothing of this lies in the repository: sources, build folders and logs are kept between runs, so
# that a second run builds only what changed. It may be deleted at any time.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kernelize/ci
jobs=$(nproc)

# The paths that a patch may touch: all that a kernel holds of the library.
import_paths=(lib/zstd include/linux/zstd.h include/linux/zstd_lib.h include/linux/zstd_errors.h)

die() {
    echo "${0##*/}: $1" >&2
    exit 2
}

# --- packages ---------------------------------------------------------------------------------

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# Only Debian's packages of kernel sources and cross compilers are known here.
on_debian_amd64() {
    command -v apt-get dpkg-query dpkg-deb >/dev/null && [[ $(dpkg --print-architecture) == amd64 ]]
}

# What kbuild needs, and we to apply patches.
# shellcheck disable=SC2034 # used by those who source this
build_packages=(
    gcc libc6-dev make git patch xz-utils flex bison libelf-dev bc libssl-dev kmod cpio rsync perl
)

# need_packages NAME...: installs those that are missing, by name.
need_packages() {
    local missing=() name
    for name in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] ||
            missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends \
        "${missing[@]}"
}

# --- steps ------------------------------------------------------------------------------------

passed=0
failed=0
status=0
logs=$cache/logs
started=$SECONDS

# start_logs NAME: in a folder of its own, without those of the last run. Of two runs at a time each
# would pull the objects from under the other.
start_logs() {
    mkdir -p "$cache"
    exec 9>"$cache/$1.lock"
    flock -n 9 || die "another run is at work in $cache"
    logs=$cache/logs/$1
    rm -rf "$logs"
    mkdir -p "$logs"
}

# The lines of a log that say what is wrong; else its end.
interesting() {
    grep -nE -i -m 30 'error|warning|undefined|no rule|fail|reject|cannot|differ|panic|BUG:' "$1" ||
        tail -n 20 "$1"
}

# strictly COMMAND...: ends at the first command that fails, wherever it is called from; `status`
# says how. In an `if`, or left of `||`, bash would ignore errexit in all that the command calls,
# which is why nothing here may be called from there. For the same reason it doesn't fail itself.
strictly() {
    set +e
    (
        set -e
        "$@"
    )
    status=$?
    set -e
}

# step NAME COMMAND...: one line with its seconds; the command's output goes to a log, of which a
# failure shows what matters. A step that fails doesn't end the run, since others tell more: `ok` is
# true behind one that passed.
step() {
    local name=$1 log begin=$SECONDS
    shift
    log=$logs/$(tr -cs 'A-Za-z0-9._\n-' '-' <<<"$name").log
    strictly "$@" >"$log" 2>&1
    if ((status == 0)); then
        passed=$((passed + 1))
        printf 'ok   %4d s  %s\n' $((SECONDS - begin)) "$name"
    else
        failed=$((failed + 1))
        printf 'FAIL %4d s  %s  (%s)\n' $((SECONDS - begin)) "$name" "$log"
        interesting "$log" | sed 's/^/     | /'
    fi
}

ok() { ((status == 0)); }

# The last line of a script, and its exit code.
finish() {
    printf '%s: %d passed, %d failed, %d s\n' "${0##*/}" "$passed" "$failed" $((SECONDS - started))
    ((failed == 0))
}

# --- kernel sources ---------------------------------------------------------------------------

# Neither built nor looked at here, and half of a tree's bytes. What Kconfig and kbuild read stays,
# and so do device trees outside arch/, which kernels hold.
unused_sources=(
    '*/drivers/gpu/*.[ch]' '*/drivers/net/*.[ch]' '*/drivers/media/*.[ch]'
    '*/drivers/staging/*.[ch]' '*/sound/*.[ch]' '*/tools/testing/*'
    '*/Documentation/*.rst' '*/Documentation/*.yaml' '*/arch/*.dts' '*/arch/*.dtsi'
)

# Another choice of files is another folder.
linux_source() {
    echo "$cache/linux-source-$1-$(cksum <<<"${unused_sources[*]}" | cut -d' ' -f1)"
}

# unpack_linux VERSION: Debian's source of it as a folder, from the installed package or a download.
# Where two want it at a time, the second waits.
unpack_linux() {
    local version=$1 tree tar excludes=() pattern tmp
    tree=$(linux_source "$version")
    exec 8>"$cache/unpack.lock"
    flock 8
    [[ ! -d $tree ]] || return 0
    # Only a whole tree gets the name.
    rm -rf "$cache"/unpack.*
    tmp=$(mktemp -d "$cache/unpack.XXXXXX")
    tar=/usr/src/linux-source-$version.tar.xz
    if [[ ! -f $tar ]]; then
        (cd "$tmp" && { apt-get download -q "linux-source-$version" ||
            { as_root apt-get update -qq && apt-get download -q "linux-source-$version"; }; })
        dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -xO ".$tar" >"$tmp/linux.tar.xz"
        tar=$tmp/linux.tar.xz
    fi
    for pattern in "${unused_sources[@]}"; do excludes+=(--exclude="$pattern"); done
    mkdir "$tmp/tree"
    tar -xJf "$tar" -C "$tmp/tree" --strip-components=1 --wildcards "${excludes[@]}"
    mv "$tmp/tree" "$tree"
    rm -rf "$tmp"
}

# --- the patch under test ---------------------------------------------------------------------

# git as nobody in particular, deaf to the settings of who runs this.
plain_git() {
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null \
        git -c user.name='kernelize ci' -c user.email=ci@kernelize.invalid \
        -c core.autocrlf=false -c gc.auto=0 "$@"
}

build_kernelize() {
    [[ -n ${KERNELIZE:-} ]] || cargo build --release --locked --quiet
}

# kernelize ARGUMENT...: the program under test. Releases come as packages unless told otherwise.
kernelize() {
    local from=("$1" --upstream "${KERNELIZE_UPSTREAM:-packages}")
    [[ -z ${KERNELIZE_MADE_FROM:-} ]] || from+=(--made-from "$KERNELIZE_MADE_FROM")
    "${KERNELIZE:-target/release/kernelize}" "${from[@]}" "${@:2}"
}

# make_patch VERSION RELEASE FILE: what a maintainer would mail, made again by whoever reads it. The
# sign-off is there because checkpatch asks for one.
make_patch() {
    local tree
    tree=$(linux_source "$1")
    kernelize patch "v$2" --linux "$tree" --signoff -o "$3" \
        --author 'kernelize ci <ci@kernelize.invalid>'
    kernelize verify "$3" --linux "$tree"
}

# make_series VERSION RELEASE STAGE: the same in steps, taken by `git am` one by one, ends in the
# same files.
make_series() {
    local tree series=$3.series steps=$3.steps part
    tree=$(linux_source "$1")
    rm -rf "$series"
    kernelize patch "v$2" --linux "$tree" --signoff --split -o "$series" \
        --author 'kernelize ci <ci@kernelize.invalid>'
    kernelize verify "$series"/*.patch --linux "$tree"
    copy_import "$tree" "$steps"
    plain_git -C "$steps" init -q
    plain_git -C "$steps" add -A
    plain_git -C "$steps" commit -q -m 'what the tree holds'
    for part in "$series"/*.patch; do
        [[ $part == */0000-* ]] || plain_git -C "$steps" am -q <"$part"
    done
    diff -r --exclude=.git "$3" "$steps"
}

# stage_release VERSION RELEASE STAGE [PATCH]: steps that bring about the import's paths as they are
# behind the patch. The release `baseline` stands for the tree as it is.
stage_release() {
    local what="$2 on $1" patch=$3.mail tree
    tree=$(linux_source "$1")
    if [[ $2 == baseline ]]; then
        step "$what: unchanged" copy_import "$tree" "$3"
        return 0
    fi
    rm -f "$patch"
    if [[ -n ${4:-} ]]; then
        cp "$4" "$patch"
    else
        step 'kernelize: build' build_kernelize
        ok || return 0
        step "$what: patch, verify" make_patch "$1" "$2" "$patch"
        ok || return 0
    fi
    step "$what: git am, git apply, patch" apply_patch "$tree" "$patch" "$3"
}

# copy_import FROM TO: the paths of the import alone.
copy_import() {
    local path
    rm -rf "$2"
    mkdir -p "$2"
    for path in "${import_paths[@]}"; do
        [[ ! -e $1/$path ]] || (cd "$1" && cp -r --parents "$path" "$2")
    done
}

# touches_only_its_paths PATCH
touches_only_its_paths() {
    local _added _removed path own inside
    git apply --numstat "$1" >"$1.numstat"
    [[ -s $1.numstat ]]
    while IFS=$'\t' read -r _added _removed path; do
        inside=no
        # Renames are written as `dir/{old => new}`: the part in front tells enough.
        for own in "${import_paths[@]}"; do
            [[ $path != "$own" && $path != "$own"/* ]] || inside=yes
        done
        [[ $inside == yes ]] || {
            echo "error: $path is none of the library's paths"
            return 1
        }
    done <"$1.numstat"
}

# apply_patch TREE PATCH STAGE: the patch, taken by the three tools that people use, on a copy of
# the paths it may touch; STAGE is the repository in which `git am` took it.
apply_patch() {
    local tree=$1 stage=$3 other=$3.patch
    touches_only_its_paths "$2"
    copy_import "$tree" "$stage"
    plain_git -C "$stage" init -q
    plain_git -C "$stage" add -A
    plain_git -C "$stage" commit -q --allow-empty -m 'what the tree holds'
    plain_git -C "$stage" apply --check --whitespace=nowarn "$2"
    plain_git -C "$stage" am -q <"$2"
    [[ -z $(plain_git -C "$stage" status --porcelain) ]]

    copy_import "$tree" "$other"
    # With an offset or fuzz it was made for another tree.
    patch -d "$other" -p1 --fuzz=0 --no-backup-if-mismatch <"$2" | tee "$2.log"
    if grep -E 'fuzz|offset|FAILED' "$2.log"; then return 1; fi
    diff -r --exclude=.git "$stage" "$other"
    rm -rf "$other"
}

# --- working trees ----------------------------------------------------------------------------

# working_tree VERSION WORK: a copy of a kernel tree by hard links, made once. `put` alone changes it,
# and gives what it changes a file of its own.
working_tree() {
    [[ ! -d $2 ]] || return 0
    rm -rf "$2.new"
    cp -al "$(linux_source "$1")" "$2.new"
    mv "$2.new" "$2"
}

# put STAGE TREE: makes the import's paths in TREE those of STAGE. Files that are the same keep
# their date, so that make rebuilds the others only.
put() {
    local path
    for path in "${import_paths[@]}"; do
        if [[ -d $1/$path ]]; then
            rsync -r --checksum --delete "$1/$path/" "$2/$path/"
        elif [[ -e $1/$path ]]; then
            rsync --checksum "$1/$path" "$2/$path"
        else
            rm -rf "${2:?}/$path"
        fi
    done
}

# --- building ---------------------------------------------------------------------------------

# arch_flags ARCH: make's words for it.
arch_flags() {
    case $1 in
        x86_64 | i386) echo "ARCH=$1" ;;
        arm) echo 'ARCH=arm CROSS_COMPILE=arm-linux-gnueabihf-' ;;
        arm64) echo 'ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-' ;;
        s390) echo 'ARCH=s390 CROSS_COMPILE=s390x-linux-gnu-' ;;
        *) die "no architecture \`$1\`" ;;
    esac
}

# kmake TREE OUT ARCH ARGUMENT...
# shellcheck disable=SC2046 # the flags are words
kmake() {
    local tree=$1 out=$2 arch=$3
    shift 3
    # Nothing of the day or the machine in what is built, so that a cache of objects could serve it.
    KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_USER=ci KBUILD_BUILD_HOST=ci \
        nice make -s -j"$jobs" -C "$tree" O="$out" $(arch_flags "$arch") "$@"
}

# configure TREE OUT ARCH FRAGMENT... [-- VARIABLE=VALUE...]: tinyconfig and the fragments. Nothing
# is done if that was done before. A wish that Kconfig didn't fulfil is an error, unless the tree
# knows no such symbol.
configure() {
    local tree=$1 out=$2 arch=$3 fragments=() line symbol
    shift 3
    while (($#)) && [[ $1 != -- ]]; do
        fragments+=("$1")
        shift
    done
    (($# == 0)) || shift
    mkdir -p "$out"
    sort -u <(find "$tree" -name 'Kconfig*' -type f -exec sed -nE \
        's/^[[:space:]]*(menu)?config[[:space:]]+([A-Za-z0-9_]+).*/CONFIG_\2/p' {} +) >"$out/known"
    # Wishes only: `# CONFIG_X is not set` included, comments not.
    grep -hE '^(# )?CONFIG_' "${fragments[@]}" |
        while read -r line; do
            symbol=$(grep -oE 'CONFIG_[A-Za-z0-9_]+' <<<"$line" | head -n 1)
            if grep -qxF "$symbol" "$out/known"; then echo "$line"; fi
        done >"$out/wishes.new"
    if [[ -f $out/wishes ]] && cmp -s "$out/wishes" "$out/wishes.new"; then return 0; fi
    rm -f "$out/wishes"
    kmake "$tree" "$out" "$arch" "$@" tinyconfig
    (cd "$out" && "$tree/scripts/kconfig/merge_config.sh" -m -O "$out" .config wishes.new) >"$out/merge.log"
    kmake "$tree" "$out" "$arch" "$@" olddefconfig
    while read -r line; do
        symbol=$(grep -oE 'CONFIG_[A-Za-z0-9_]+' <<<"$line" | head -n 1)
        grep -qxF "$line" "$out/.config" && continue
        # What can't be set at all isn't in the file, which is as good as not set.
        if [[ $line == '#'* ]] && ! grep -q "^$symbol=" "$out/.config"; then continue; fi
        echo "error: Kconfig doesn't give \`$line\`"
        return 1
    done <"$out/wishes.new"
    mv "$out/wishes.new" "$out/wishes"
}

# quiet COMMAND...: fails if it prints anything like a warning, whatever it returns.
quiet() {
    local output
    output=$(mktemp)
    "$@" 2>&1 | tee "$output"
    if grep -qE -i 'warning|error' "$output"; then
        rm -f "$output"
        return 1
    fi
    rm -f "$output"
}
