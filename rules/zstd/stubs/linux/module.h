/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: only what an import uses.
 * A symbol can only be exported where it is declared, and once; the mark that
 * says so is named as kernels name it.
 */
#ifndef STUB_LINUX_MODULE_H
#define STUB_LINUX_MODULE_H

#ifdef __DISABLE_EXPORTS
#define STUB_EXPORT(name) extern __typeof__(name) name
#else
#define STUB_EXPORT(name)          \
	extern __typeof__(name) name; \
	static const char __export_symbol_##name __attribute__((__used__)) = 1
#endif

/* One step more, as in the kernel: a name that is a macro is expanded. */
#define EXPORT_SYMBOL(name) STUB_EXPORT(name)
#define EXPORT_SYMBOL_GPL(name) STUB_EXPORT(name)

#define MODULE_TEXT(what, text) _Static_assert(sizeof(text) > 1, what)
#define MODULE_LICENSE(text) MODULE_TEXT("license", text)
#define MODULE_DESCRIPTION(text) MODULE_TEXT("description", text)

#endif
