import { Box, chakra, Flex } from '@chakra-ui/react'
import type { CreditState } from './credit-state'

const words: Record<CreditState['level'], string> = {
  none: '',
  calm: '',
  low: 'Running low',
  empty: 'Used up',
}

/** The share that is left, as a bar and as a number; ember, and a word, when it is little. */
export function CreditBar({ state, note }: { state: CreditState; note: string }) {
  const { percent, left, max, level } = state
  const rounded = percent > 0 && percent < 1 ? '<1%' : `${Math.floor(percent)}%`
  return (
    <Flex direction="column" gap="3">
      <Box
        role="progressbar"
        aria-labelledby="credits"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(percent)}
        aria-valuetext={`${left} of ${max}, ${rounded}`}
        height="0.5rem"
        bg="line"
        borderRadius="full"
        overflow="hidden"
      >
        <Box
          data-level={level}
          height="100%"
          minW={percent > 0 ? '0.5rem' : 0}
          bg={level === 'calm' ? 'ink' : 'ember-live'}
          borderRadius="full"
          transition="width var(--duration-base) var(--ease-out)"
          style={{ width: `${percent}%` }}
        />
      </Box>
      <Flex
        justify="space-between"
        columnGap="4"
        minW={0}
        color="muted"
        fontSize="sm"
        fontVariantNumeric="tabular-nums"
      >
        <chakra.span minW={0} overflowWrap="anywhere">
          {words[level] && (
            <chakra.span color="ember" fontWeight={600}>
              {words[level]}
            </chakra.span>
          )}
          {words[level] && note && ' · '}
          {note && <span>{note}</span>}
        </chakra.span>
        <span aria-hidden>{rounded}</span>
      </Flex>
    </Flex>
  )
}
