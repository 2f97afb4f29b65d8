/* SPDX-License-Identifier: GPL-2.0+ OR BSD-3-Clause */
/*
 * Stands for the kernel's header in compile tests: only what an import uses.
 * A symbol can only be exported where it is declared.
 */
#ifndef STUB_LINUX_MODULE_H
#define STUB_LINUX_MODULE_H

#define EXPORT_SYMBOL(name) extern __typeof__(name) name
#define EXPORT_SYMBOL_GPL(name) EXPORT_SYMBOL(name)

#define MODULE_TEXT(what, text) _Static_assert(sizeof(text) > 1, what)
#define MODULE_LICENSE(text) MODULE_TEXT("license", text)
#define MODULE_DESCRIPTION(text) MODULE_TEXT("description", text)

#endif
