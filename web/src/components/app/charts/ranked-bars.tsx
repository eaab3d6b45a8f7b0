import { Box, chakra, Flex } from '@chakra-ui/react'

interface RankedBarsProps {
  /** What the rows are, for those who do not see the heading beside them. */
  label: string
  rows: readonly { name: string; value: number }[]
  format: (value: number) => string
}

/** A row each with its name, its number and a bar in proportion to the largest. */
export function RankedBars({ label, rows, format }: RankedBarsProps) {
  const most = rows.reduce((max, { value }) => Math.max(max, value), 0)
  return (
    <chakra.ul role="list" aria-label={label} fontSize="sm">
      {rows.map(({ name, value }) => (
        <chakra.li key={name} py="2">
          <Flex justify="space-between" gap="3">
            <chakra.span overflowWrap="anywhere">{name}</chakra.span>
            <chakra.span fontWeight={600} fontVariantNumeric="tabular-nums">
              {format(value)}
            </chakra.span>
          </Flex>
          <Box height="4px" mt="1" bg="line" borderRadius="full" aria-hidden>
            <Box
              height="100%"
              bg="quiet"
              borderRadius="full"
              style={{ width: most === 0 ? 0 : `${(value / most) * 100}%` }}
            />
          </Box>
        </chakra.li>
      ))}
    </chakra.ul>
  )
}
