import type { SystemStyleObject } from '@chakra-ui/react'

/** The line below a row whose ground reaches into the margin: the line keeps to what stands in the row. */
export const hairline = (colour: 'line' | 'line-strong'): SystemStyleObject => ({
  borderBottom: `1px solid {colors.${colour}}`,
  borderImage: `linear-gradient(to right, transparent {spacing.3}, {colors.${colour}} 0 calc(100% - {spacing.3}), transparent 0) 0 0 1`,
})
