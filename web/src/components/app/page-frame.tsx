import { chakra } from '@chakra-ui/react'

/** The main part of an app page, as wide as the header above it. */
export const PageFrame = chakra(
  'main',
  {
    base: {
      maxW: 'var(--page)',
      mx: 'auto',
      px: 'var(--gutter)',
      pt: { base: '8', md: '12' },
      pb: '20',
    },
  },
  { defaultProps: { id: 'main' } },
)
