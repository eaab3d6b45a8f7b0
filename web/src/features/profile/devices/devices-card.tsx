import { Box, Button, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { useGetDevicesQuery } from '@/lib/api/devices-api'
import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { DeviceRow } from './device-row'
import { DeviceSkeleton } from './device-skeleton'
import { SignOutDialog } from './sign-out-dialog'
import { useSignOut } from './use-sign-out'

const FAILED = 'Your devices could not be loaded.'

/** Where the person is signed in: the browsers and Macs, each with a way to sign it out. */
export function DevicesCard() {
  const { data, error, isFetching, refetch } = useGetDevicesQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const signOut = useSignOut()
  const heading = useRef<HTMLHeadingElement>(null)

  // The button that asked may have left with its row.
  const keepFocus = () => {
    if (document.activeElement === document.body) heading.current?.focus()
  }

  return (
    <Card aria-labelledby="devices" pb="2" aria-busy={isFetching}>
      <Flex wrap="wrap" align="flex-start" justify="space-between" gap="4" mb="5">
        <Box flex="1 1 min(20rem, 100%)">
          <Heading
            as="h2"
            id="devices"
            mb="2"
            fontSize="xl"
            ref={heading}
            tabIndex={-1}
            outline="none"
          >
            Where you&apos;re signed in
          </Heading>
          <Text color="muted" fontSize="sm" maxW="var(--measure)">
            Browsers and Macs that may use your account. Sign out of any that you don&apos;t know.
          </Text>
        </Box>
        <Button
          size="sm"
          variant="outline"
          maxW="100%"
          whiteSpace="normal"
          onClick={() => signOut.ask('everywhere')}
        >
          Sign out everywhere
        </Button>
      </Flex>
      {error && (
        <Flex direction="column" align="flex-start" gap="3" pb="4">
          <Alert width="100%">{problemText(error, FAILED, NETWORK_ERROR)}</Alert>
          <Button size="sm" variant="outline" disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? 'Trying...' : 'Try again'}
          </Button>
        </Flex>
      )}
      {!data && !error && <DeviceSkeleton />}
      {data && (
        <chakra.ul role="list">
          {data.map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              busy={signOut.busy}
              onSignOut={() => signOut.ask(device)}
            />
          ))}
        </chakra.ul>
      )}
      {data?.length === 0 && (
        <Text py="4" color="muted" borderTop="1px solid {colors.line}">
          No device has used your account yet.
        </Text>
      )}
      <SignOutDialog signOut={signOut} onClosed={keepFocus} />
    </Card>
  )
}
