# For the Makefile of the library: `include kernelize.mk`, then
#
#   make kernel-form              # red or green for the work tree as it is
#   make kernel-form-fix          # apply the remedies that are mechanical
#   make kernel-form-since SINCE=origin/dev    # each commit since
#
# KERNELIZE names the program, KERNELIZEFLAGS adds to its flags, such as --build.

KERNELIZE ?= kernelize
SINCE ?= @{upstream}

# Findings that are known, if there are any: a report of --format json.
kernelize_baseline = $(wildcard .kernelize-baseline.json)
kernelize_check = $(KERNELIZE) check --upstream . \
	$(if $(kernelize_baseline),--baseline $(kernelize_baseline)) $(KERNELIZEFLAGS)

.PHONY: kernel-form kernel-form-fix kernel-form-since

kernel-form:
	$(kernelize_check) --worktree

kernel-form-since:
	$(kernelize_check) '$(SINCE)..HEAD'

# There is a patch only where there is a remedy; findings without one stay red in `kernel-form`.
kernel-form-fix:
	@fixes=$$(mktemp) && trap 'rm -f "$$fixes"' EXIT && \
	{ $(kernelize_check) --worktree --suggest "$$fixes" || [ $$? -eq 1 ]; } && \
	{ [ ! -s "$$fixes" ] || git apply "$$fixes"; }
