import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { toastSuccess } from '@/components/app/toast'
import { statusTextOf } from '@/lib/api/problem'
import {
  useRaiseReleaseRolloutMutation,
  useSetReleaseAvailabilityMutation,
  useSetReleaseChannelMutation,
  useSetReleaseRequiredMutation,
  useSetReleaseRolloutMutation,
} from '@/lib/api/releases-api'
import type { Channel, Message, Release } from '@/lib/api/types'
import { formatBytes, whole } from '@/lib/numbers'
import { formatDateTime, formatDay } from '@/lib/dates'
import { titled } from '@/lib/words'
import { StatusBadge } from '@/components/app/status-badge'
import { AvailabilitySwitch } from './availability-switch'
import { ChannelChoice } from './channel-choice'
import { PreviewLinks } from './preview-links'
import { Requirement } from './requirement'
import { RolloutForm } from './rollout-form'

interface ReleaseItemProps {
  release: Release
  onError: (text: string | null) => void
}

/** One release: what it is, what it holds, and whether it is offered. */
export function ReleaseItem({ release, onError }: ReleaseItemProps) {
  const name = useId()
  const [setAvailability, availability] = useSetReleaseAvailabilityMutation()
  const [setRollout, rollout] = useSetReleaseRolloutMutation()
  const [setChannel, choosing] = useSetReleaseChannelMutation()
  const [setRequired, requiring] = useSetReleaseRequiredMutation()
  const [raiseRollout, raising] = useRaiseReleaseRolloutMutation()

  const change = async (answer: () => Promise<Message>, failure: string) => {
    onError(null)
    try {
      toastSuccess((await answer()).message || 'Release updated')
    } catch (error) {
      onError(`${failure}: ${statusTextOf(error)}`)
    }
  }
  const toggle = (isAvailable: boolean) =>
    change(() => setAvailability({ release, isAvailable }).unwrap(), 'Failed to toggle release')
  const rollOut = (percentage: number) =>
    change(() => setRollout({ release, percentage }).unwrap(), 'Failed to set rollout')
  const choose = (channel: Channel | null) =>
    change(() => setChannel({ release, channel }).unwrap(), 'Failed to set channel')
  const setRequirement = (isRequired: boolean) =>
    change(() => setRequired({ release, isRequired }).unwrap(), 'Failed to require release')
  const raise = () => change(() => raiseRollout(release).unwrap(), 'Failed to set rollout')

  return (
    <chakra.li
      display="flex"
      flexDirection={{ base: 'column', md: 'row' }}
      justifyContent="space-between"
      columnGap="8"
      rowGap="3"
      py="5"
      borderBottom="1px solid {colors.line}"
    >
      <Box minW={0}>
        <Flex wrap="wrap" align="baseline" columnGap="3" rowGap="1">
          <Heading as="h2" id={name} fontSize="lg" overflowWrap="anywhere">
            {release.name}
          </Heading>
          <Text as="span" color="quiet" fontFamily="mono" fontSize="xs">
            v{release.version}
          </Text>
          {release.channel !== 'stable' && (
            <StatusBadge tone="caution">{titled(release.channel)}</StatusBadge>
          )}
        </Flex>
        <Text color="muted" fontSize="sm" fontVariantNumeric="tabular-nums">
          Published {formatDay(release.publishedAt)} · {whole(release.downloadCount)}{' '}
          {release.downloadCount === 1 ? 'download' : 'downloads'} on GitHub ·{' '}
          {whole(release.siteDownloadCount)} started on this site
        </Text>
        {release.replacedAt && (
          <Text mt="2" fontSize="sm" fontWeight={600}>
            Its files were replaced on GitHub, seen {formatDateTime(release.replacedAt)}, so it was
            disabled. Check them before you enable it again.
          </Text>
        )}
        {release.promotedAt && (
          <Text mt="2" fontSize="sm" fontWeight={600}>
            It is no longer a prerelease on GitHub, seen {formatDateTime(release.promotedAt)}
            {release.chosenChannel
              ? `. It stays on ${release.channel} until you choose another channel.`
              : ', so it was disabled. Enable it to offer it to everybody.'}
          </Text>
        )}
        <Assets release={release} />
      </Box>
      <Flex direction="column" gap="3" flexShrink={0} width={{ md: '17rem', lg: '28rem' }}>
        <AvailabilitySwitch
          labelledBy={name}
          available={release.isAvailable}
          inFlight={availability.isLoading}
          onChange={(isAvailable) => void toggle(isAvailable)}
        />
        <RolloutForm
          release={release}
          inFlight={rollout.isLoading || raising.isLoading}
          onChange={(percentage) => void rollOut(percentage)}
          onRaise={() => void raise()}
        />
        <ChannelChoice
          release={release}
          inFlight={choosing.isLoading}
          onChange={(channel) => void choose(channel)}
        />
        <Requirement
          release={release}
          inFlight={requiring.isLoading}
          onChange={(isRequired) => void setRequirement(isRequired)}
        />
        <PreviewLinks release={release} />
      </Flex>
    </chakra.li>
  )
}

function Assets({ release }: { release: Release }) {
  if (release.assets.length === 0) return null
  return (
    <chakra.ul
      role="list"
      display="grid"
      gridTemplateColumns="minmax(0, max-content) max-content"
      columnGap="4"
      mt="3"
      fontSize="xs"
      color="muted"
    >
      {release.assets.map((asset) => (
        <chakra.li
          key={asset.id}
          display="grid"
          gridColumn="1 / -1"
          gridTemplateColumns="subgrid"
          alignItems="baseline"
        >
          <chakra.span fontFamily="mono" overflowWrap="anywhere">
            {asset.name}
          </chakra.span>{' '}
          <chakra.span color="quiet" textAlign="end" fontVariantNumeric="tabular-nums">
            {formatBytes(asset.size)}
          </chakra.span>
        </chakra.li>
      ))}
    </chakra.ul>
  )
}
