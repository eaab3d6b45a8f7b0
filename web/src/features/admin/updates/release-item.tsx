import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { toastSuccess } from '@/components/app/toaster'
import { statusTextOf } from '@/lib/api/problem'
import { useSetReleaseAvailabilityMutation } from '@/lib/api/releases-api'
import type { Release } from '@/lib/api/types'
import { formatBytes, formatCount, formatDay } from '../format'
import { AvailabilitySwitch } from './availability-switch'

interface ReleaseItemProps {
  release: Release
  onError: (text: string | null) => void
}

/** One release: what it is, what it holds, and whether it is offered. */
export function ReleaseItem({ release, onError }: ReleaseItemProps) {
  const [setAvailability, { isLoading }] = useSetReleaseAvailabilityMutation()

  const change = async (isAvailable: boolean) => {
    onError(null)
    try {
      const { message } = await setAvailability({ release, isAvailable }).unwrap()
      toastSuccess(message)
    } catch (error) {
      onError(`Failed to toggle release: ${statusTextOf(error)}`)
    }
  }

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
          <Heading as="h2" fontSize="lg" overflowWrap="anywhere">
            {release.name}
          </Heading>
          <Text as="span" color="quiet" fontFamily="mono" fontSize="xs">
            v{release.version}
          </Text>
        </Flex>
        <Text color="muted" fontSize="sm" fontVariantNumeric="tabular-nums">
          Published {formatDay(release.publishedAt)} · {formatCount(release.downloadCount)}{' '}
          {release.downloadCount === 1 ? 'download' : 'downloads'}
        </Text>
        <Assets release={release} />
      </Box>
      <AvailabilitySwitch
        version={release.version}
        available={release.isAvailable}
        inFlight={isLoading}
        onChange={(isAvailable) => void change(isAvailable)}
      />
    </chakra.li>
  )
}

function Assets({ release }: { release: Release }) {
  if (release.assets.length === 0) return null
  return (
    <chakra.ul role="list" mt="3" fontSize="xs" color="muted">
      {release.assets.map((asset) => (
        <li key={asset.id}>
          <chakra.span fontFamily="mono" overflowWrap="anywhere">
            {asset.name}
          </chakra.span>{' '}
          <chakra.span color="quiet" whiteSpace="nowrap">
            {formatBytes(asset.size)}
          </chakra.span>
        </li>
      ))}
    </chakra.ul>
  )
}
