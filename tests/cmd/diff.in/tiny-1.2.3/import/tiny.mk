obj-$(CONFIG_TINY) += tiny.o
tiny-y := core/sum.o core/scale.o
