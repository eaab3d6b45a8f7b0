import { Button, Flex, Text } from '@chakra-ui/react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { site } from '@/config/site'

interface OpenAppProps {
  open: () => void
  busy?: boolean
  /** Why the last try to open it failed. */
  error?: string | null
}

/** The success screen (spec section 2): the sign-in is done, and the app can be opened again. */
export function OpenApp({ open, busy = false, error = null }: OpenAppProps) {
  return (
    <NoticeScreen
      title="Authentication Successful!"
      text="You can now return to the app on your Mac"
      announce
    >
      <Flex direction="column" align="center" gap="4">
        <Button onClick={open} disabled={busy}>
          {busy ? `Opening ${site.name}...` : `Open ${site.name} on your Mac`}
        </Button>
        <Text role="alert" color="danger" fontSize="sm" fontWeight={550} maxW="26rem">
          {error}
        </Text>
        <Text color="quiet" fontSize="sm" maxW="26rem">
          Nothing happened? Check your Mac: your browser may be asking whether it may open{' '}
          {site.name}.
        </Text>
      </Flex>
    </NoticeScreen>
  )
}
