import { chakra } from '@chakra-ui/react'
import { useId } from 'react'

interface AvailabilitySwitchProps {
  /** Id of the element that names the release. */
  labelledBy: string
  available: boolean
  inFlight: boolean
  onChange: (available: boolean) => void
}

const Track = chakra('span', {
  base: {
    flexShrink: 0,
    width: '2.75rem',
    height: '1.5rem',
    p: '2px',
    bg: 'line-strong',
    borderRadius: 'full',
    transition: 'background var(--duration-base)',
    '[aria-checked=true] > &': { bg: 'positive' },
  },
})

const Thumb = chakra('span', {
  base: {
    display: 'block',
    boxSize: '1.25rem',
    bg: 'raised',
    borderRadius: 'full',
    transition: 'translate var(--duration-base) var(--ease-out)',
    '[aria-checked=true] &': { translate: '1.25rem 0' },
  },
})

/**
 * Offers a release or takes it back. A button and not a checkbox: a checkbox turns at the click,
 * while this shows the server's state and nothing else, and ignores clicks while a change runs.
 */
export function AvailabilitySwitch({
  labelledBy,
  available,
  inFlight,
  onChange,
}: AvailabilitySwitchProps) {
  const state = useId()
  return (
    <chakra.button
      type="button"
      role="switch"
      aria-checked={available}
      aria-labelledby={`${labelledBy} ${state}`}
      aria-disabled={inFlight || undefined}
      data-event="toggle_release"
      onClick={() => !inFlight && onChange(!available)}
      display="inline-flex"
      alignItems="center"
      alignSelf="flex-start"
      gap="3"
      flexShrink={0}
      minH="var(--target)"
      p={0}
      bg="transparent"
      border="none"
      fontSize="sm"
      fontWeight={600}
      css={{ '&[aria-disabled=true]': { opacity: 0.6, cursor: 'progress' } }}
    >
      <Track>
        <Thumb />
      </Track>
      <chakra.span id={state} minW="4.5rem" textAlign="start">
        {available ? 'Enabled' : 'Disabled'}
      </chakra.span>
    </chakra.button>
  )
}
