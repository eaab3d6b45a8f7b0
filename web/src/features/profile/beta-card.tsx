import { Button, Heading, Text } from '@chakra-ui/react'
import Link from 'next/link'
import { Card } from '@/components/app/card'
import { paths } from '@/config/paths'
import { site } from '@/config/site'

/** The way to the Mac app while the product is in closed beta. */
export function BetaCard() {
  return (
    <Card
      aria-labelledby="beta"
      display="flex"
      flexDirection="column"
      alignItems="flex-start"
      borderTop="3px solid {colors.line}"
    >
      <Text color="quiet" fontSize="xs">
        {site.name} for Mac
      </Text>
      <Heading as="h2" id="beta" mt="1" mb="3" fontSize="xl">
        Closed beta
      </Heading>
      <Text color="muted" mb="5">
        See whether your place is ready, and download the app.
      </Text>
      <Button asChild variant="outline" mt="auto" maxW="100%" whiteSpace="normal">
        <Link href={paths.closedBeta}>Check your access</Link>
      </Button>
    </Card>
  )
}
