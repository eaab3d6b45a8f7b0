import { Button, chakra, Flex, Text } from '@chakra-ui/react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { markPaths } from '@/components/brand/mark-paths'
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
      picture={<SignedInMac />}
      announce
    >
      <Flex direction="column" align="center" gap="4">
        <Button onClick={open} disabled={busy}>
          {busy ? `Opening ${site.name}...` : `Open ${site.name} on your Mac`}
        </Button>
        <Text role="alert" color="danger" fontSize="sm" fontWeight={550} maxW="26rem">
          {error}
        </Text>
        <Text color="quiet" fontSize="sm" maxW="26rem" textWrap="balance">
          Nothing happened? Check your Mac: your browser may be asking whether it may open{' '}
          {site.name}.
        </Text>
      </Flex>
    </NoticeScreen>
  )
}

/** A laptop with our mark on its screen: where the sign-in has gone. */
function SignedInMac() {
  return (
    <chakra.svg viewBox="0 0 120 80" width="9rem" my="2" fill="none" aria-hidden>
      <chakra.path
        d="M24 6h72a6 6 0 0 1 6 6v50H18V12a6 6 0 0 1 6-6Z"
        fill="raised"
        stroke="line-strong"
        strokeWidth="1.5"
      />
      <chakra.path
        d="M4 62h46q1 4 5 4h10q4 0 5-4h46v3a8 8 0 0 1-8 8H12a8 8 0 0 1-8-8Z"
        fill="sunk"
        stroke="line-strong"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
      <g transform="translate(44 18)">
        {markPaths.map((path) => (
          <chakra.path key={path} d={path} fill="ember-live" />
        ))}
      </g>
    </chakra.svg>
  )
}
