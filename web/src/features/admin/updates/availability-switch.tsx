import { Switch } from '@chakra-ui/react'

interface AvailabilitySwitchProps {
  version: string
  available: boolean
  inFlight: boolean
  onChange: (available: boolean) => void
}

/** Offers a release or takes it back. It shows the server's state, and rests while a change runs. */
export function AvailabilitySwitch({
  version,
  available,
  inFlight,
  onChange,
}: AvailabilitySwitchProps) {
  return (
    <Switch.Root
      flexShrink={0}
      alignSelf={{ md: 'flex-start' }}
      checked={available}
      disabled={inFlight}
      onCheckedChange={({ checked }) => onChange(checked)}
    >
      <Switch.HiddenInput role="switch" aria-label={`Offer version ${version}`} />
      <Switch.Control>
        <Switch.Thumb />
      </Switch.Control>
      <Switch.Label aria-hidden>{available ? 'Enabled' : 'Disabled'}</Switch.Label>
    </Switch.Root>
  )
}
