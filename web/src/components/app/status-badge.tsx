import { chakra } from '@chakra-ui/react'
import type { ReactNode } from 'react'

export type Tone = 'positive' | 'caution' | 'danger' | 'notice' | 'neutral'

const Pill = chakra('span', {
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '2',
    fontSize: 'xs',
    fontWeight: 600,
    whiteSpace: 'nowrap',
    _before: { content: '""', boxSize: '0.5rem', borderRadius: 'full', bg: 'currentColor' },
  },
  variants: {
    tone: {
      positive: { color: 'positive' },
      caution: { color: 'caution', _before: { bg: 'transparent', border: '2px solid' } },
      danger: { color: 'danger', _before: { borderRadius: '1px', rotate: '45deg' } },
      notice: { color: 'notice', _before: { borderRadius: '1px' } },
      neutral: { color: 'quiet', _before: { height: '2px', borderRadius: 0 } },
    },
  },
})

/** A state as a word with a shape of its own, so that colour alone carries nothing. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <Pill tone={tone}>{children}</Pill>
}
