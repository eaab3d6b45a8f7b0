import { chakra } from '@chakra-ui/react'
import { useState } from 'react'
import { Select } from '@/components/app/field'
import type { Channel, Release } from '@/lib/api/types'
import { QuestionDialog, type Question } from '../question'
import { followers } from './rollout-words'

/** The channels, the most stable first. */
export const CHANNELS: readonly Channel[] = ['stable', 'beta', 'alpha']

/** The channels that can be chosen, and the present one, which only a newer server may know. */
export function channelsWith(now: Channel | null): readonly Channel[] {
  return now === null || CHANNELS.includes(now) ? CHANNELS : [...CHANNELS, now]
}

interface ChannelChoiceProps {
  release: Release
  inFlight: boolean
  onChange: (channel: Channel | null) => void
}

/** Which apps a release is for: as GitHub marks it, or as staff choose. Asks before more apps get it. */
export function ChannelChoice({ release, inFlight, onChange }: ChannelChoiceProps) {
  const [question, setQuestion] = useState<Question | null>(null)
  const { chosenChannel, version, rolloutPercentage } = release
  const choose = (chosen: Channel | null) => {
    // What GitHub marks it as is not known here, nor may be how many apps the present channel has.
    const isWider =
      !CHANNELS.includes(release.channel) ||
      CHANNELS.indexOf(chosen ?? 'stable') < CHANNELS.indexOf(release.channel)
    if (!isWider || !release.isAvailable || rolloutPercentage === 0) return onChange(chosen)
    const apps = chosen ? followers[chosen] : "the apps that GitHub's mark is for"
    setQuestion({
      title: `Offer v${version} to more apps?`,
      text: `It is enabled: ${rolloutPercentage}% of ${apps} are offered it at once.`,
      action: 'Offer',
      onConfirm: () => onChange(chosen),
    })
  }
  return (
    <chakra.label display="flex" alignItems="center" gap="2" fontSize="sm" color="muted">
      Channel
      <Select
        aria-label={`Channel of v${version}`}
        waiting={inFlight}
        data-event="release_channel"
        value={chosenChannel ?? ''}
        onChange={({ target: { value } }) => choose(value ? (value as Channel) : null)}
      >
        <option value="">As on GitHub</option>
        {channelsWith(chosenChannel).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
    </chakra.label>
  )
}
