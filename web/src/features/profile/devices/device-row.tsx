import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { StatusBadge } from '@/components/app/status-badge'
import { site } from '@/config/site'
import type { Device } from '@/lib/api/types'
import { ago, exactly } from './ago'
import { DeviceIcon } from './device-icon'
import { deviceName } from './device-name'
import { useNow } from './use-now'

interface DeviceRowProps {
  device: Device
  busy: boolean
  onSignOut: () => void
}

/** One device: what it is, when it was last used and from where, and signing it out. */
export function DeviceRow({ device, busy, onSignOut }: DeviceRowProps) {
  const name = deviceName(device)
  return (
    <chakra.li
      display="flex"
      flexWrap="wrap"
      alignItems="center"
      columnGap="4"
      rowGap="3"
      py="4"
      borderTop="1px solid {colors.line}"
    >
      <Flex
        flex="1 1 16rem"
        wrap="wrap"
        minW={0}
        columnGap="4"
        rowGap="2"
        align={{ base: 'flex-start', sm: 'center' }}
      >
        <DeviceIcon kind={device.kind} />
        <Box flex="1 1 8rem" minW={0}>
          <Flex wrap="wrap" align="baseline" columnGap="3">
            <Text as="span" fontWeight={600} overflowWrap="anywhere">
              <bdi>{name}</bdi>
            </Text>
            {device.current && <StatusBadge tone="positive">This device</StatusBadge>}
          </Flex>
          <Details device={device} />
        </Box>
      </Flex>
      <Button
        size="sm"
        variant="outline"
        ms={{ base: 'min(3.75rem, 22%)', sm: 0 }}
        maxW="100%"
        whiteSpace="normal"
        disabled={busy}
        aria-label={device.current ? 'Sign out of this device' : `Sign out of ${name}`}
        onClick={onSignOut}
      >
        Sign out
      </Button>
    </chakra.li>
  )
}

function Details({ device }: { device: Device }) {
  const now = useNow()
  const { current, last_active_at, ip_address, kind } = device
  return (
    <chakra.p css={parts} fontSize="sm" color="muted" fontVariantNumeric="tabular-nums">
      {kind === 'mac' && <span>{site.name} for Mac</span>}
      <time dateTime={last_active_at} title={exactly(last_active_at)}>
        {current ? 'Active now' : `Active ${ago(last_active_at, now)}`}
      </time>
      {ip_address && <span>{ip_address}</span>}
    </chakra.p>
  )
}

/** A dot before each part; that of the first one on a line lies outside and is cut off. */
const parts = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: '0.9em',
  overflow: 'hidden',
  '& > *': { position: 'relative', ms: '-0.9em', ps: '0.9em' },
  '& > *::before': { content: '"·" / ""', position: 'absolute', insetInlineStart: '0.32em' },
} as const
