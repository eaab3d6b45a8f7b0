import { chakra } from '@chakra-ui/react'
import { Select } from '@/components/app/field'
import type { Channel, Release } from '@/lib/api/types'

/** The channels, the most stable first. */
export const CHANNELS: readonly Channel[] = ['stable', 'beta', 'alpha']

interface ChannelChoiceProps {
  release: Release
  inFlight: boolean
  onChange: (channel: Channel | null) => void
}

/** Which apps a release is for: as GitHub marks it, or as staff choose. */
export function ChannelChoice({ release, inFlight, onChange }: ChannelChoiceProps) {
  const { chosenChannel, version } = release
  return (
    <chakra.label display="flex" alignItems="center" gap="2" fontSize="sm" color="muted">
      Channel
      <Select
        aria-label={`Channel of v${version}`}
        disabled={inFlight}
        data-event="release_channel"
        value={chosenChannel ?? ''}
        onChange={({ target: { value } }) => onChange(value ? (value as Channel) : null)}
      >
        <option value="">As on GitHub</option>
        {CHANNELS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </chakra.label>
  )
}
