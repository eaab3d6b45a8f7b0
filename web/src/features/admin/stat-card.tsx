import { Box, chakra, Skeleton } from '@chakra-ui/react'

/** One number with its name; without a value it is still on its way. */
export function StatCard({ label, value }: { label: string; value?: string }) {
  return (
    <Box
      py="5"
      px={{ md: '6' }}
      borderLeft={{ md: '1px solid {colors.line}' }}
      // The first of a row: of all, or of three.
      css={{
        '&:first-of-type': { borderLeft: 'none', ps: 0 },
        '&:nth-of-type(3n + 1)': { mdToLg: { borderLeft: 'none', ps: 0 } },
      }}
    >
      <chakra.dt color="quiet" fontSize="xs">
        {label}
      </chakra.dt>
      <chakra.dd
        minH="2.25rem"
        fontSize={{ base: 'xl', md: 'lg', lg: 'xl' }}
        fontWeight={650}
        letterSpacing="var(--tracking-title)"
        fontVariantNumeric="tabular-nums"
      >
        {value ?? <Skeleton mt="3" height="1.25rem" width="6rem" aria-hidden />}
      </chakra.dd>
    </Box>
  )
}
