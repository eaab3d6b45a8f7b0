import { Box, Button, Flex, Heading, Text } from '@chakra-ui/react'
import Link from 'next/link'
import { Card } from '@/components/app/card'
import { paths } from '@/config/paths'
import { site } from '@/config/site'

/** The way to the Mac app while the product is in closed beta. */
export function BetaCard() {
  return (
    <Card aria-labelledby="beta">
      <Flex wrap="wrap" align="center" justify="space-between" gap="4">
        <Box flex="1 1 min(20rem, 100%)">
          <Heading as="h2" id="beta" mb="2" fontSize="xl">
            Closed beta
          </Heading>
          <Text color="muted" fontSize="sm">
            See whether your place is ready, and download {site.name} for Mac.
          </Text>
        </Box>
        <Button asChild size="sm" variant="outline" maxW="100%" whiteSpace="normal">
          <Link href={paths.closedBeta}>Check your access</Link>
        </Button>
      </Flex>
    </Card>
  )
}
