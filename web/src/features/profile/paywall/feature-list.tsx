import { chakra, Text } from '@chakra-ui/react'
import { useId, useState } from 'react'
import type { Plan } from '@/lib/api/types'

type Feature = Plan['features'][number]

/** What a plan has; some of it can say more about itself. */
export function FeatureList({ features }: { features: readonly Feature[] }) {
  return (
    <chakra.ul
      role="list"
      display="flex"
      flexDirection="column"
      gap="2"
      mt="5"
      pt="5"
      borderTop="1px solid {colors.line}"
      fontSize="sm"
    >
      {features.map((feature) => (
        <FeatureItem key={feature.text} feature={feature} />
      ))}
    </chakra.ul>
  )
}

function FeatureItem({ feature: { text, info } }: { feature: Feature }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  // The last word keeps the button beside it where the text takes several lines.
  const [start, last] = beforeLastWord(text)
  return (
    <chakra.li
      display="grid"
      gridTemplateColumns="1.25rem minmax(0, 1fr)"
      alignItems="start"
      gap="2"
      overflowWrap="anywhere"
    >
      <chakra.svg
        viewBox="0 0 20 20"
        boxSize="1.25rem"
        mt="0.1em"
        fill="none"
        stroke="ember-live"
        strokeWidth={1.75}
        aria-hidden
      >
        <path d="M4.5 10.5l3.5 3.5 7.5-8" strokeLinecap="round" strokeLinejoin="round" />
      </chakra.svg>
      <div>
        {info ? start : text}
        {info && (
          <chakra.span whiteSpace="nowrap">
            {last}
            <MoreButton
              type="button"
              aria-label={`More about ${text}`}
              aria-expanded={open}
              aria-controls={id}
              onClick={() => setOpen(!open)}
            >
              <svg
                viewBox="0 0 20 20"
                width="18"
                height="18"
                fill="none"
                stroke="currentColor"
                aria-hidden="true"
              >
                <circle cx="10" cy="10" r="7.5" strokeWidth="1.5" />
                <path d="M10 9.25v4.25M10 6.5v.01" strokeWidth="1.75" strokeLinecap="round" />
              </svg>
            </MoreButton>
          </chakra.span>
        )}
        {info && (
          <Text id={id} hidden={!open} color="muted" fontSize="xs">
            {info}
          </Text>
        )}
      </div>
    </chakra.li>
  )
}

/** Such as ['Move up from Pro at any ', 'time']. */
function beforeLastWord(text: string): [start: string, last: string] {
  const at = text.lastIndexOf(' ') + 1
  return [text.slice(0, at), text.slice(at)]
}

const MoreButton = chakra('button', {
  base: {
    display: 'inline-grid',
    placeItems: 'center',
    verticalAlign: 'middle',
    boxSize: '1.75rem',
    ms: '1',
    my: '-0.25rem',
    p: 0,
    bg: 'transparent',
    color: 'quiet',
    border: 'none',
    borderRadius: 'full',
    '@media (pointer: coarse)': { boxSize: 'var(--target)', my: '-0.6rem' },
    _hover: { color: 'ink' },
    _expanded: { color: 'ember' },
  },
})
