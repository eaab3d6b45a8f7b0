import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { StatusBadge } from '@/components/app/status-badge'
import type { Device } from '@/lib/api/types'
import { ago, exactly } from './ago'
import { DeviceIcon } from './device-icon'
import { deviceKind, deviceName } from './device-name'
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
      <Flex flex="1 1 16rem" minW={0} gap="4" align="center">
        <DeviceIcon kind={device.kind} />
        <Box minW={0}>
          <Flex wrap="wrap" align="center" columnGap="3">
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
        ms={{ base: '3.75rem', sm: 0 }}
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
    <Text color="muted" fontSize="sm" fontVariantNumeric="tabular-nums">
      {deviceKind(kind)} ·{' '}
      <time dateTime={last_active_at} title={exactly(last_active_at)}>
        {current ? 'Active now' : `Last active ${ago(last_active_at, now)}`}
      </time>
      {ip_address && (
        <>
          {' · '}
          <Text as="span" whiteSpace="nowrap">
            {ip_address}
          </Text>
        </>
      )}
    </Text>
  )
}
