import { AppCollections } from "../stores/mongodb/collections/names.ts";
import { MongoConnection, type MongoEndpoint } from "../stores/mongodb/server/connection.ts";
import { type DemoPlace, type ServerDemoOptions, writeServerDemo } from "./server-demo.ts";
import { DEMO_APP_ID } from "./story/story.ts";
import { MongoOutbox, MongoWriter } from "./writer/mongo-writer.ts";

/** As `writeServerDemo`. @returns the writer, to continue the demo; close it. */
export async function createMongoDemo({
  endpoint,
  ...options
}: ServerDemoOptions & { readonly endpoint: MongoEndpoint }): Promise<MongoWriter> {
  const connection = new MongoConnection(endpoint);
  try {
    const writer = new MongoWriter(new MongoOutbox(connection), DEMO_APP_ID);
    await writeServerDemo(placeOn(connection), writer, options);
    return writer;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function placeOn(connection: MongoConnection): DemoPlace {
  const namesOf = async (appId: string) => {
    const collections = new AppCollections(appId);
    const all = await connection.run((db) => db.listCollections({}, { nameOnly: true }).toArray());
    return all.map(({ name }) => name).filter((name) => collections.owns(name));
  };
  const registryOf = (appId: string) => new AppCollections(appId).name("state_backend", "app_info");
  return {
    location: connection.endpoint.location,
    async infoOf(appId) {
      const found = await connection.run((db) => db.collection(registryOf(appId)).findOne({ app_id: appId }));
      return found === null ? null : String(found.app_info_json);
    },
    async isEmpty(appId) {
      for (const name of await namesOf(appId))
        if ((await connection.run((db) => db.collection(name).findOne())) !== null) return false;
      return true;
    },
    async remove(appId) {
      const names = await namesOf(appId);
      const registry = names.filter((name) => name === registryOf(appId));
      const others = names.filter((name) => name !== registryOf(appId));
      for (const name of [...others, ...registry]) await connection.run((db) => db.dropCollection(name));
    },
  };
}
