import { Button, Text } from '@chakra-ui/react'
import Link from 'next/link'
import { paths } from '@/config/paths'
import { Display } from './display'

/** On the waitlist, not approved. Every status but pending is 'under review' (spec section 4). */
export function Waiting({ status }: { status: string }) {
  const state = status === 'pending' ? 'pending approval.' : 'under review.'
  return (
    <Display title="Closed Beta" vanes={2}>
      <Text color="ink">Your waitlist application is {state}</Text>
      <Text>We&apos;ll notify you when you get access to the closed beta.</Text>
      <Button asChild variant="outline" mt="4">
        <Link href={paths.profile}>Go to Profile</Link>
      </Button>
    </Display>
  )
}
